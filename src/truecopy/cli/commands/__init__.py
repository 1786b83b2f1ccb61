"""One file for each command: its options, the library call, the JSON, and what a person sees."""
