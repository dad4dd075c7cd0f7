"""What a table consumed and what was throttled in each second, from /metrics, as a drawing."""

CONSUMED, THROTTLED = "stator_consumed_capacity_units_total", "stator_throttled_requests_total"
WIDTH, HEIGHT, LEFT, TOP = 640, 200, 48, 24
SERVED_COLOUR, REFUSED_COLOUR = "#2b7a78", "#d1495b"


class Recorder:
    """Call it behind each second: it keeps how far both counters of a table's writes have come. With an index what
    that throttles counts, too: each is an item that the table could not take."""

    def __init__(self, scrape, table, index=""):
        self.scrape, self.table, self.indexes, self.seconds = scrape, table, {"", index}, []
        self.before = (0, 0)

    def __call__(self):
        now = self.counters()
        self.seconds.append(tuple(late - early for late, early in zip(now, self.before)))
        self.before = now

    def counters(self):
        consumed = throttled = 0
        for (name, pairs), value in self.scrape().values.items():
            labels = dict(pairs)
            index = labels.get("index", "")
            if labels.get("table") != self.table or index not in self.indexes:
                continue
            if name == CONSUMED and labels["dimension"] == "write" and not index:
                consumed += int(value)
            if name == THROTTLED and "Write" in labels["reason"]:
                throttled += int(value)
        return consumed, throttled


def drawing(seconds, title, marks):
    """An SVG of bars: what was served, and on top of it what was refused. marks: {second: text}"""
    highest = max(sum(second) for second in seconds)
    step = (WIDTH - LEFT) / len(seconds)

    def height(units):
        return round(units * HEIGHT / highest, 1)

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT + TOP + 40}"'
             ' font-family="sans-serif" font-size="11">',
             f'<title>{title}</title>', '<rect width="100%" height="100%" fill="#ffffff"/>']
    for number, (served, refused) in enumerate(seconds):
        x, top = round(LEFT + number * step, 1), TOP + HEIGHT - height(served)
        lines += [f'<rect x="{x}" y="{y:.1f}" width="{step - 1:.1f}" height="{tall}" fill="{colour}"/>'
                  for y, tall, colour in ((top, height(served), SERVED_COLOUR),
                                          (top - height(refused), height(refused), REFUSED_COLOUR)) if tall]
    for units in (0, highest // 2, highest):
        lines.append(f'<text x="{LEFT - 6}" y="{TOP + HEIGHT - height(units) + 4:.1f}" text-anchor="end">{units}</text>')
    for number, text in marks.items():
        lines.append(f'<text x="{LEFT + number * step:.1f}" y="{TOP + HEIGHT + 16}">{text}</text>')
    for number, (colour, text) in enumerate(((SERVED_COLOUR, "writes served"), (REFUSED_COLOUR, "throttled"))):
        x = LEFT + 180 * number
        lines += [f'<rect x="{x}" y="{TOP + HEIGHT + 26}" width="10" height="10" fill="{colour}"/>',
                  f'<text x="{x + 14}" y="{TOP + HEIGHT + 35}">{text} each second</text>']
    return "\n".join([*lines, "</svg>", ""])
