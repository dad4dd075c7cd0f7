// The function for Node.js, run by aws-lambda-ric. What it does stands in the event's first new item.
import { setTimeout as sleep } from "node:timers/promises";

export async function handler(event, context) {
  switch (event.Records[0].dynamodb.NewImage.how.S) {
    case "fail":
      throw new Error("no");
    case "hang":
      await sleep(60_000);
      break;
    case "second":
      return { batchItemFailures: event.Records.slice(1, 2).map(
        (record) => ({ itemIdentifier: record.dynamodb.SequenceNumber })) };
    case "long":
      return "x".repeat(7_000_000);
  }
  process.stdout.write(`handles ${event.Records.length} ${context.awsRequestId}\n`);
  return { count: event.Records.length };
}
