# quick.sh - read by other scripts: $quick, what makes $NVCC leave its optimiser out, where it can do without. For PTX
# that nobody looks at, or that runs a few blocks.
quick=
if "$NVCC" --help | grep -q '(-Ofc)'; then quick="-Ofc max"; fi
