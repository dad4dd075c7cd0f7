

def test_$snake(dynamodb, new_table):
    pytest.fail("TODO: call $name by its method of boto3, compare the whole answer and each error")
