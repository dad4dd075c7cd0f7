"""A table as a tool with a grid uses it: every row is seen, sorted, edited and added by statements that the
tool writes, page by page over an index."""

import pytest

import scenario
from scenario import Index, marshal, same, to_row

ARTISTS = 100
PAGE = 40  # rows that the grid shows at a time


def generate_songs(data):
    for number in range(scenario.ITEMS):
        song = {"artist": f"artist-{data.randrange(ARTISTS):02d}", "id": f"{number:06d}", "year": data.randrange(1960, 2027),
                "title": f"It's {data.randrange(900)} \"now\""}
        if data.random() < 0.8:
            song["genre"] = data.choice(("folk", "jazz", "pop"))
        if data.random() < 0.5:
            song["credits"] = {"people": [f"p{data.randrange(50)}", data.randrange(9)], "tags": {"live", f"t{data.randrange(4)}"}}
        yield song


@pytest.fixture(scope="module")
def songs(new_store):
    store = new_store("artist:S id:S", by_genre=Index("genre:S year:N"), by_year=Index("artist:S year:N", local=True))
    store.load(generate_songs(scenario.generator("songs")))
    return store


def execute(store, text, *values, **members):
    """The answer's rows, and the token of the next page."""
    if values:
        members["Parameters"] = [marshal(value) for value in values]
    answer = store.client.execute_statement(Statement=text.replace("songs", f'"{store.name}"'), **members)
    return [to_row(item) for item in answer["Items"]], answer.get("NextToken")


def grid(store, text, *values):
    """All rows of a SELECT, a page at a time."""
    rows, token = execute(store, text, *values, Limit=PAGE)
    while token:
        more, token = execute(store, text, *values, Limit=PAGE, NextToken=token)
        assert len(more) <= PAGE
        rows += more
    return rows


def test_an_index_sorted_by_a_column(songs):
    for direction in ("ASC", "DESC"):
        found = grid(songs, f'SELECT * FROM songs."by_genre" WHERE "genre" = ? AND "year" >= 2015 '
                     f'ORDER BY "year" {direction}', "jazz")
        expected = songs.expected(lambda row: row.get("genre") == "jazz" and row["year"] >= 2015, "by_genre",
                                  descending=direction == "DESC")
        same(found, expected, lambda row: row["year"])


def test_columns_and_a_filter(songs):
    for artist in ("artist-03", "artist-77"):
        found = grid(songs, 'SELECT "id", "title", credits.people[0] FROM songs."by_year" WHERE "artist" = ? AND '
                     '"year" BETWEEN 1980 AND 1999 AND "credits" IS NOT MISSING ORDER BY "year"', artist)
        expected = songs.expected(lambda row, artist=artist: row["artist"] == artist and 1980 <= row["year"] <= 1999 and
                                  "credits" in row, "by_year")
        same(found, [{"id": row["id"], "title": row["title"], "people[0]": row["credits"]["people"][0]} for row in expected])


def test_rows_are_edited_where_they_stand(songs):
    """A cell, a nested cell and a set are changed in what a SELECT showed, and told as they are now."""
    data = scenario.generator("edits")
    shown = grid(songs, 'SELECT * FROM songs."by_genre" WHERE "genre" = \'pop\' AND "year" = 2001 ORDER BY "year"')
    for row in data.sample(shown, min(len(shown), 25)):
        text, values = 'SET "title" = ? SET "year" = "year" + ?', [f"'{data.randrange(99)}'", 1]
        row.update(title=values[0], year=row["year"] + 1)
        if "credits" in row:
            text, values = text + ' SET credits.people[0] = ? SET credits.tags = set_add(credits.tags, ?)', [*values, "new", {"edited"}]
            row["credits"]["people"][0] = "new"
            row["credits"]["tags"] |= {"edited"}
        answer, _ = execute(songs, f'UPDATE songs {text} REMOVE "genre" WHERE "artist" = ? AND "id" = ? AND "year" = ? '
                            'RETURNING ALL NEW *', *values, row["artist"], row["id"], row["year"] - 1)
        del row["genre"]
        assert answer == [row]
        songs.rows[songs.key(row)] = row
    songs.settle()


def test_rows_are_added_and_deleted(songs):
    data = scenario.generator("added")
    for number in range(20):
        row = {"artist": "artist-00", "id": f"new-{number:03d}", "year": 2030, "genre": data.choice(("folk", "jazz")),
               "notes": [None, True, {"n": data.randrange(9)}], "marks": {1, 2}}
        execute(songs, "INSERT INTO songs VALUE {'artist': ?, 'id': ?, 'year': 2030, 'genre': ?, 'notes': ?, "
                "'marks': <<1, 2>>}", row["artist"], row["id"], row["genre"], row["notes"])
        with pytest.raises(songs.client.exceptions.DuplicateItemException):
            execute(songs, "INSERT INTO songs VALUE {'artist': ?, 'id': ?}", row["artist"], row["id"])
        songs.rows[songs.key(row)] = row
    gone = data.sample(list(songs.rows), 20)
    texts = [f"DELETE FROM \"{songs.name}\" WHERE artist = ? AND id = ? RETURNING ALL OLD *"] * len(gone)
    answer = songs.client.batch_execute_statement(Statements=[
        {"Statement": text, "Parameters": [marshal(value) for value in key]} for text, key in zip(texts, gone)])
    assert [to_row(entry["Item"]) for entry in answer["Responses"]] == [songs.rows.pop(key) for key in gone]
    songs.settle()


def test_all_of_it(songs):
    songs.check_everything()
    same(grid(songs, "SELECT * FROM songs WHERE artist = ? ORDER BY id DESC", "artist-00"),
         songs.expected(lambda row: row["artist"] == "artist-00", descending=True), lambda row: row["id"])
