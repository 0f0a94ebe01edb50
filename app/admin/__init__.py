"""What curators and admins do over HTTP; every rule of it is SQL."""
