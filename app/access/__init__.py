"""Who is asking: tokens, guards, signing in, and how often somebody may ask."""
