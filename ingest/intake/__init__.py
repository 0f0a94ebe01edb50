"""Batches of addresses: handed in, asked about, and the statements their pages need."""
