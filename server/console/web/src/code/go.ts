import type { Body, Item, Value } from '../wire/wire';
import { typeOf } from '../wire/values';
import { canWrite, MEMBERS } from './members';
import type { Request } from './writers';

const text = (value: unknown) => JSON.stringify(value);

function attribute(value: Value, indent: string): string {
  const type = typeOf(value);
  const inner = value[type];
  const bytes = (base64: unknown) => `decoded(${text(base64)})`;
  const member = (content: string) => `&types.AttributeValueMember${type}{Value: ${content}}`;
  switch (type) {
    case 'S':
    case 'N':
      return member(text(inner));
    case 'B':
      return member(bytes(inner));
    case 'BOOL':
    case 'NULL':
      return member(String(inner));
    case 'M':
      return member(item(inner as Item, indent));
    case 'L':
      return member(values(inner as Value[], indent));
    case 'BS':
      return member(`[][]byte{${(inner as string[]).map(bytes).join(', ')}}`);
    default:
      return member(`[]string{${(inner as string[]).map(text).join(', ')}}`);
  }
}

function block(open: string, lines: string[], indent: string): string {
  return lines.length ? `${open}{\n${lines.map((each) => `${indent}\t${each},\n`).join('')}${indent}}` : `${open}{}`;
}

function item(of: Item, indent: string): string {
  const lines = Object.entries(of).map(([name, each]) => `${text(name)}: ${attribute(each, `${indent}\t`)}`);
  return block('map[string]types.AttributeValue', lines, indent);
}

function values(of: Value[], indent: string): string {
  return block('[]types.AttributeValue', of.map((each) => attribute(each, `${indent}\t`)), indent);
}

function member(name: string, value: unknown, indent: string): string {
  const kind = MEMBERS[name];
  if (kind === 'string') return `aws.String(${text(value)})`;
  if (kind === 'int') return `aws.Int32(${value})`;
  if (kind === 'bool') return `aws.Bool(${value})`;
  if (kind === 'item') return item(value as Item, indent);
  if (kind === 'values') return values(value as Value[], indent);
  if (kind === 'names') {
    return block('map[string]string', Object.entries(value as Body).map(([key, each]) => `${text(key)}: ${text(each)}`), indent);
  }
  if ('enumeration' in kind) return `types.${kind.enumeration}(${text(value)})`;
  const actions = (value as Body[]).map((action) => {
    const [[name, body]] = Object.entries(action);
    return `{${name}: &types.${kind.actions[name]}${members(body, `${indent}\t`)}}`;
  });
  return block('[]types.TransactWriteItem', actions, indent);
}

function members(body: Body, indent: string): string {
  return block('', Object.entries(body).map(([name, value]) => `${name}: ${member(name, value, `${indent}\t`)}`), indent);
}

export function goCall({ operation, body, scope, endpoint }: Request): string | undefined {
  if (!canWrite(operation, body)) return undefined;
  const input = `&dynamodb.${operation}Input${members(body, '\t')}`;
  const imports = [
    '"context"',
    ...(input.includes('decoded(') ? ['"encoding/base64"'] : []),
    '"fmt"',
    '',
    '"github.com/aws/aws-sdk-go-v2/aws"',
    '"github.com/aws/aws-sdk-go-v2/credentials"',
    '"github.com/aws/aws-sdk-go-v2/service/dynamodb"',
    ...(input.includes('types.') ? ['"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"'] : []),
  ];
  const decoded = [
    'func decoded(text string) []byte {',
    '\tvalue, err := base64.StdEncoding.DecodeString(text)',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\treturn value',
    '}',
    '',
  ];
  return [
    'package main',
    '',
    'import (',
    ...imports.map((each) => each && `\t${each}`),
    ')',
    '',
    ...(input.includes('decoded(') ? decoded : []),
    'func main() {',
    '\tclient := dynamodb.New(dynamodb.Options{',
    `\t\tBaseEndpoint: aws.String("${endpoint}"),`,
    `\t\tRegion: "${scope.region}",`,
    `\t\tCredentials: credentials.NewStaticCredentialsProvider("${scope.accessKey}", "local", ""),`,
    '\t})',
    `\tanswer, err := client.${operation}(context.Background(), ${input})`,
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\tfmt.Printf("%+v\\n", answer)',
    '}',
  ].join('\n');
}
