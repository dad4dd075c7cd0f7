// Read by @shelf/jest-dynamodb. The port and the folder of the jar come from the test that runs jest.

module.exports = {
  tables: [
    {
      TableName: 'albums',
      AttributeDefinitions: [
        { AttributeName: 'artist', AttributeType: 'S' },
        { AttributeName: 'title', AttributeType: 'S' },
        { AttributeName: 'year', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'artist', KeyType: 'HASH' },
        { AttributeName: 'title', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'by-year',
          KeySchema: [{ AttributeName: 'year', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'ALL' },
          ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
        },
      ],
      ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
    },
    {
      TableName: 'files',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    },
  ],
  port: Number(process.env.PROJECT_PORT),
  installerConfig: { installPath: process.env.PROJECT_INSTALL_PATH },
};
