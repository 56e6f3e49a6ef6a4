"""One file per ordering algorithm, each beside the section of the paper it implements."""
