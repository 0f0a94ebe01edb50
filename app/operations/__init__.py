"""What those who run the service see of it: health, metrics, logs, traces, and its limits."""
