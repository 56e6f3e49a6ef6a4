"""What builds the project's own pages and environment."""
