// One request as a program in other languages. A body is the wire's JSON: values stay typed, numbers text.

import { isStreamsOperation, signature, targetOf, type Body, type Scope } from '../wire/wire';
import { goCall } from './go';
import { javaCall } from './java';

export interface Request {
  operation: string;
  body: Body;
  scope: Scope;
  endpoint: string;
}

export interface Writer {
  title: string;
  /** Undefined if this language cannot be written for the operation. */
  write: (request: Request) => string | undefined;
}

export const WRITERS: Writer[] = [
  { title: 'CLI', write: cli },
  { title: 'boto3', write: boto3 },
  { title: 'JavaScript', write: javascript },
  { title: 'Go', write: goCall },
  { title: 'Java', write: javaCall },
  { title: 'curl', write: curl },
  { title: 'JSON', write: ({ body }) => JSON.stringify(body, null, 2) },
];

/** A word of the shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function hyphenated(operation: string): string {
  return operation.replace(/(?<!^)([A-Z])/g, '-$1').toLowerCase();
}

function cli({ operation, body, scope, endpoint }: Request): string {
  const service = isStreamsOperation(operation) ? 'dynamodbstreams' : 'dynamodb';
  return [
    `aws ${service} ${hyphenated(operation)}`,
    `--endpoint-url ${endpoint}`,
    `--region ${scope.region}`,
    `--cli-input-json ${quoted(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n  ');
}

function curl({ operation, body, scope, endpoint }: Request): string {
  const headers = {
    'Content-Type': 'application/x-amz-json-1.0',
    'X-Amz-Target': targetOf(operation),
    ...signature(scope),
  };
  return [
    `curl ${endpoint}/`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `-d ${quoted(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n  ');
}

/** Binary values are the only ones whose literals differ from JSON: {"B": text} and {"BS": texts}. */
interface Literals {
  binary: (base64: string) => string;
  constants: Record<string, string>;
  name: (text: string) => string;
}

function literal(value: unknown, how: Literals, indent = ''): string {
  const inner = `${indent}    `;
  const list = (open: string, parts: string[], close: string) =>
    parts.length ? `${open}\n${parts.map((each) => `${inner}${each},`).join('\n')}\n${indent}${close}` : open + close;
  if (Array.isArray(value)) return list('[', value.map((each) => literal(each, how, inner)), ']');
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value);
    return how.constants[text] ?? text;
  }
  const entries = Object.entries(value);
  if (entries.length === 1) {
    const [[name, only]] = entries;
    if (name === 'B' && typeof only === 'string') return `{${how.name('B')}: ${how.binary(only)}}`;
    if (name === 'BS' && Array.isArray(only)) return `{${how.name('BS')}: [${only.map(how.binary).join(', ')}]}`;
    if (typeof only !== 'object' || only === null) return `{${how.name(name)}: ${literal(only, how, inner)}}`;
  }
  return list('{', entries.map(([name, each]) => `${how.name(name)}: ${literal(each, how, inner)}`), '}');
}

function boto3({ operation, body, scope, endpoint }: Request): string {
  const how: Literals = {
    binary: (base64) => `b64decode(${JSON.stringify(base64)})`,
    constants: { true: 'True', false: 'False', null: 'None' },
    name: (text) => JSON.stringify(text),
  };
  const members = Object.entries(body).map(([name, value]) => `    ${name}=${literal(value, how, '    ')},`);
  const code = members.join('\n');
  return [
    ...(code.includes('b64decode(') ? ['from base64 import b64decode', ''] : []),
    'import boto3',
    '',
    'client = boto3.client(',
    `    "${isStreamsOperation(operation) ? 'dynamodbstreams' : 'dynamodb'}",`,
    `    endpoint_url="${endpoint}",`,
    `    region_name="${scope.region}",`,
    `    aws_access_key_id="${scope.accessKey}",`,
    '    aws_secret_access_key="local",',
    ')',
    members.length
      ? `answer = client.${hyphenated(operation).replaceAll('-', '_')}(\n${code}\n)`
      : `answer = client.${hyphenated(operation).replaceAll('-', '_')}()`,
    'print(answer)',
  ].join('\n');
}

function javascript({ operation, body, scope, endpoint }: Request): string {
  const how: Literals = {
    binary: (base64) => `Buffer.from(${JSON.stringify(base64)}, "base64")`,
    constants: {},
    name: (text) => (/^[A-Za-z_$][\w$]*$/.test(text) && text !== '__proto__' ? text : JSON.stringify(text)),
  };
  const [module, client] = isStreamsOperation(operation)
    ? ['client-dynamodb-streams', 'DynamoDBStreamsClient']
    : ['client-dynamodb', 'DynamoDBClient'];
  return [
    `import { ${client}, ${operation}Command } from "@aws-sdk/${module}";`,
    '',
    `const client = new ${client}({`,
    `    endpoint: "${endpoint}",`,
    `    region: "${scope.region}",`,
    `    credentials: { accessKeyId: "${scope.accessKey}", secretAccessKey: "local" },`,
    '});',
    `const answer = await client.send(new ${operation}Command(${literal(body, how)}));`,
    'console.log(answer);',
  ].join('\n');
}
