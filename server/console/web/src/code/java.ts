import type { Body, Item, Value } from '../wire/wire';
import { typeOf } from '../wire/values';
import { canWrite, MEMBERS } from './members';
import type { Request } from './writers';

const text = (value: unknown) => JSON.stringify(value);

function attribute(value: Value, indent: string): string {
  const type = typeOf(value);
  const inner = value[type];
  const bytes = (base64: unknown) => `SdkBytes.fromByteArray(Base64.getDecoder().decode(${text(base64)}))`;
  switch (type) {
    case 'S':
    case 'N':
      return `AttributeValue.from${type}(${text(inner)})`;
    case 'B':
      return `AttributeValue.fromB(${bytes(inner)})`;
    case 'BOOL':
      return `AttributeValue.fromBool(${inner})`;
    case 'NULL':
      return 'AttributeValue.fromNul(true)';
    case 'M':
      return `AttributeValue.fromM(${item(inner as Item, indent)})`;
    case 'L':
      return `AttributeValue.fromL(${values(inner as Value[], indent)})`;
    case 'BS':
      return `AttributeValue.fromBs(List.of(${(inner as string[]).map(bytes).join(', ')}))`;
    default:
      return `AttributeValue.from${type === 'SS' ? 'Ss' : 'Ns'}(List.of(${(inner as string[]).map(text).join(', ')}))`;
  }
}

function call(name: string, parts: string[], indent: string): string {
  return parts.length ? `${name}(\n${parts.map((each) => `${indent}    ${each}`).join(',\n')})` : `${name}()`;
}

function item(of: Item, indent: string): string {
  const entries = Object.entries(of).map(([name, each]) => `Map.entry(${text(name)}, ${attribute(each, `${indent}    `)})`);
  return call('Map.ofEntries', entries, indent);
}

function values(of: Value[], indent: string): string {
  return call('List.of', of.map((each) => attribute(each, `${indent}    `)), indent);
}

function member(name: string, value: unknown, indent: string): string {
  const kind = MEMBERS[name];
  if (kind === 'item') return item(value as Item, indent);
  if (kind === 'values') return values(value as Value[], indent);
  if (kind === 'names') {
    return call('Map.ofEntries', Object.entries(value as Body).map(([key, each]) => `Map.entry(${text(key)}, ${text(each)})`), indent);
  }
  if (typeof kind === 'object' && 'actions' in kind) {
    const actions = (value as Body[]).map((action) => {
      const [[name, body]] = Object.entries(action);
      const inner = `${indent}        `;
      return `TransactWriteItem.builder().${setter(name)}(${kind.actions[name]}.builder()${members(body, inner)}\n${inner}.build()).build()`;
    });
    return call('List.of', actions, indent);
  }
  return kind === 'string' || typeof kind === 'object' ? text(value) : String(value);
}

function setter(name: string): string {
  return name[0].toLowerCase() + name.slice(1);
}

function members(body: Body, indent: string): string {
  return Object.entries(body)
    .map(([name, value]) => `\n${indent}.${setter(name)}(${member(name, value, indent)})`)
    .join('');
}

export function javaCall({ operation, body, scope, endpoint }: Request): string | undefined {
  if (!canWrite(operation, body)) return undefined;
  return [
    'import java.net.URI;',
    'import java.util.*;',
    'import software.amazon.awssdk.auth.credentials.*;',
    'import software.amazon.awssdk.core.SdkBytes;',
    'import software.amazon.awssdk.regions.Region;',
    'import software.amazon.awssdk.services.dynamodb.DynamoDbClient;',
    'import software.amazon.awssdk.services.dynamodb.model.*;',
    '',
    'public class Main {',
    '    public static void main(String[] arguments) {',
    '        try (DynamoDbClient client = DynamoDbClient.builder()',
    `                .endpointOverride(URI.create("${endpoint}"))`,
    `                .region(Region.of("${scope.region}"))`,
    '                .credentialsProvider(StaticCredentialsProvider.create(',
    `                        AwsBasicCredentials.create("${scope.accessKey}", "local")))`,
    '                .build()) {',
    `            System.out.println(client.${setter(operation)}(${operation}Request.builder()${members(body, ' '.repeat(20))}`,
    `${' '.repeat(20)}.build()));`,
    '        }',
    '    }',
    '}',
  ].join('\n');
}
