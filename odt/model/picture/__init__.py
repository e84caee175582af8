"""Trees drawn as boxes and links, and as SVG; matplotlib draws the same in `odt.draw`."""
