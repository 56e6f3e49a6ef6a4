"""The reference pages, each a module with `page()`."""
