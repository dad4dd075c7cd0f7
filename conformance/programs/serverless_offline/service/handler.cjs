// Each prints what it gets; `called` fails on orders that say so.

const say = (name, event) => {
  for (const { eventName, dynamodb } of event.Records) {
    console.log(`${name}: ${eventName} ${dynamodb.Keys.Id.S} ${dynamodb.SequenceNumber}`);
  }
};

exports.read = async (event) => say('read', event);

exports.called = async (event) => {
  say('called', event);
  if (event.Records.some(({ dynamodb }) => dynamodb.NewImage?.fails)) throw new TypeError('an order that fails');
  return { orders: event.Records.length };
};
