"""Classes that a training library needs beside aucenv's own; each module wants its library installed."""
