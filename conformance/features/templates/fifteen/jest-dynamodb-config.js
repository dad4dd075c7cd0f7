// Is code, so node makes JSON of it.
module.exports = {
  tables: [
    {
      TableName: `attachments`,
      KeySchema: [{AttributeName: 'id', KeyType: 'HASH'}],
      AttributeDefinitions: [{AttributeName: 'id', AttributeType: 'S'}],
      ProvisionedThroughput: {ReadCapacityUnits: 1, WriteCapacityUnits: 1},
      data: [{id: 'a', bytes: 1234, tags: ['new', 'big']}],
    },
  ],
};
