"""Many calls at once, each for an item of its own."""

from concurrent.futures import ThreadPoolExecutor

from scenario import marshal

COUNT, IN_FLIGHT = 2000, 64


def test_many_at_once(new_store):
    store = new_store("pk:S sk:N")
    rows = [{"pk": f"partition {n % 50}", "sk": n, "text": f"item {n}", "list": [n, n % 2 == 0]} for n in range(COUNT)]

    def put(row):
        return store.client.put_item(TableName=store.name, Item={name: marshal(v) for name, v in row.items()})

    def delete(row):
        return store.client.delete_item(TableName=store.name, Key=store.key_item(row))

    with ThreadPoolExecutor(IN_FLIGHT) as pool:
        list(pool.map(put, rows))
        assert list(pool.map(store.get, rows)) == rows
        list(pool.map(delete, rows[::3]))
        assert list(pool.map(store.get, rows)) == [row if n % 3 else None for n, row in enumerate(rows)]
    if store.server.controllable:  # the service counts every six hours
        assert store.client.describe_table(TableName=store.name)["Table"]["ItemCount"] == len(rows) - len(rows[::3])
