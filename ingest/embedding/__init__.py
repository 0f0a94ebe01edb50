"""Embedding sets: their embedders, their vectors, and the move from one set to another."""
