"""The registry report: what every op of the table has, and that nothing is missing without being said.

`python -m chainrule._ops.report` prints it.
"""

from chainrule._engine.op import NONE, composites, registry
from chainrule._ops import table  # noqa: F401  (registers every family)


def row(entry):
    """One op's line: kind, differentiable inputs, inputs stated as not differentiable, fused kernels, forms."""
    names = entry.signature.names
    places = zip(entry.places, entry.rules, strict=True)
    rules = {names[place]: rule for place, rule in places}
    return {
        "op": entry.signature.text,
        "namespace": entry.namespace,
        "kind": type(entry.kind).__name__,
        "vjp": tuple(n for n, r in rules.items() if r is not NONE),
        "none": tuple(n for n, r in rules.items() if r is NONE),
        "fast": tuple(n for n, kernel in entry.fast.items() if n is not None and kernel is not None),
        "inplace": bool(entry.with_inplace),
        "out": bool(entry.with_out),
    }


def report():
    """Rows of every entry, in the table's order."""
    return [row(entry) for entry in registry.values()]


def without_rules():
    """Entries that state no rule for any input: they must be ops that have no derivative."""
    return [r["op"] for r in report() if not r["vjp"]]


def text():
    """The report as a table."""
    rows = report()
    width = max(len(r["op"]) for r in rows)
    lines = [f"{'op':{width}}  {'kind':12} {'vjp':30} {'fast':16} forms"]
    for r in rows:
        forms = " ".join(form for form in ("inplace", "out") if r[form])
        vjp = " ".join(r["vjp"]) or "no derivative"
        lines.append(f"{r['op']:{width}}  {r['kind']:12} {vjp:30} {' '.join(r['fast']):16} {forms}".rstrip())
    lines.append(f"{len(rows)} ops, {len(composites)} composites")
    return "\n".join(lines)


if __name__ == "__main__":
    print(text())
