"""The profiler's table: averages as lines of text."""

SORTABLE = ("cpu_time", "cpu_time_total", "self_cpu_time_total", "count")


def time_text(us):
    """A time in the unit that reads best."""
    if us >= 1e6:
        return f"{us / 1e6:.3f}s"
    if us >= 1e3:
        return f"{us / 1e3:.3f}ms"
    return f"{us:.3f}us"


def format_table(events, sort_by, row_limit, name_width, header):
    """Lines of name, own time, total time, mean and number of calls; ValueError for an unknown sort key."""
    if sort_by is not None:
        sort_by = sort_by.replace("cuda", "cpu").replace("device", "cpu")
        if sort_by not in SORTABLE:
            raise ValueError(f"table: expected sort_by to be one of {', '.join(SORTABLE)}, got {sort_by!r}")
        events = sorted(events, key=lambda e: getattr(e, sort_by), reverse=True)
    total = sum(e.self_cpu_time_total for e in events)
    titles = ("Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls")
    lines = []
    for e in events if row_limit < 0 else events[:row_limit]:
        name = e.key if len(e.key) <= name_width else e.key[: name_width - 3] + "..."
        lines.append(
            (
                name,
                _share(e.self_cpu_time_total, total),
                e.self_cpu_time_total_str,
                _share(e.cpu_time_total, total),
                e.cpu_time_total_str,
                e.cpu_time_str,
                str(e.count),
            )
        )
    widths = [max(len(line[k]) for line in (titles, *lines)) for k in range(len(titles))]
    rule = "  ".join("-" * w for w in widths)
    text = [rule, _line(titles, widths), rule, *(_line(line, widths) for line in lines), rule]
    if header is not None:
        text.insert(0, header)
    return "\n".join([*text, f"Self CPU time total: {time_text(total)}", ""])


def _share(part, total):
    return f"{100 * part / total:.2f}%" if total else "0.00%"


def _line(cells, widths):
    return "  ".join(cell.rjust(w) for cell, w in zip(cells, widths, strict=True))
