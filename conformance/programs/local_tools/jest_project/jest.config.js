// The preset brings the tables before the tests and takes them away afterwards.

module.exports = { preset: '@shelf/jest-dynamodb', transform: {} };
