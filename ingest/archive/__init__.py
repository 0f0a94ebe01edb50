"""ZIP archives: their files, one by one, whatever somebody packed."""
