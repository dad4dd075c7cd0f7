// Plays the Serverless framework for the plugin serverless-dynamodb: gives it a service, runs its hooks as
// `serverless offline start` does, and its last hook when standard input ends.

const Plugin = require('serverless-dynamodb');

const [port, localPath, settings] = process.argv.slice(2);

const serverless = {
  config: { servicePath: __dirname },
  cli: { log: (message) => console.log(message) },
  service: {
    provider: { stage: 'dev' },
    custom: {
      'serverless-dynamodb': {
        stages: ['dev'],
        start: { port: Number(port), migrate: true, seed: true, ...JSON.parse(settings) },
        seed: { music: { sources: [{ table: 'songs', sources: ['seeds.json'] }] } },
      },
    },
    resources: {
      Resources: {
        Songs: {
          Type: 'AWS::DynamoDB::Table',
          Properties: {
            TableName: 'songs',
            AttributeDefinitions: [
              { AttributeName: 'artist', AttributeType: 'S' },
              { AttributeName: 'title', AttributeType: 'S' },
              { AttributeName: 'album', AttributeType: 'S' },
            ],
            KeySchema: [
              { AttributeName: 'artist', KeyType: 'HASH' },
              { AttributeName: 'title', KeyType: 'RANGE' },
            ],
            GlobalSecondaryIndexes: [
              {
                IndexName: 'by-album',
                KeySchema: [{ AttributeName: 'album', KeyType: 'HASH' }],
                Projection: { ProjectionType: 'ALL' },
              },
            ],
            BillingMode: 'PAY_PER_REQUEST',
          },
        },
      },
    },
  },
};

async function main() {
  const { hooks } = new Plugin(serverless, { localPath });
  await hooks['dynamodb:install:installHandler']();
  await hooks['before:offline:start:init']();
  console.log('the offline server runs');
  process.stdin.resume().once('end', hooks['before:offline:start:end']);
}

main();
