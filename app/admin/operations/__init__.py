"""Jobs, the audit log and the settings."""
