import { code, page, table } from './markdown.ts';

/** As much of OpenAPI as the page shows. */
export type OpenApi = {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};
type Content = {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;
};
type Operation = {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<
    Record<string, Content & { readonly $ref?: string; readonly description?: string }>
  >;
};

const nameOf = (ref: string): string => ref.split('/').at(-1) ?? '';
const linkTo = (ref: string): string => `[${nameOf(ref)}](#${nameOf(ref).toLowerCase()})`;

function typeOf({ $ref, type, enum: words, const: only, anyOf, oneOf, items }: Schema): string {
  if ($ref) return linkTo($ref);
  if (only !== undefined) return code(String(only));
  if (words) return words.length > 12 ? 'a word' : words.map((word) => code(String(word))).join(', ');
  const either = anyOf ?? oneOf;
  if (either) return either.map(typeOf).join(' or ');
  if (type === 'array') return `list of ${items ? typeOf(items) : 'anything'}`;
  return Array.isArray(type) ? type.join(' or ') : String(type ?? 'anything');
}

function operation(method: string, path: string, of: Operation): readonly string[] {
  const [body] = Object.entries(of.requestBody?.content ?? {});
  const query = of.parameters.filter((parameter) => parameter.in === 'query');
  const answers = Object.entries(of.responses).flatMap(([status, { $ref, description, content }]) => {
    if ($ref || status === 'default') return [];
    const [first] = Object.entries(content ?? {});
    const shape = first?.[1].schema ? ` ${typeOf(first[1].schema)}` : first ? ` ${code(first[0])}` : '';
    return [`${status}${shape}: ${description}`];
  });
  return [
    `### ${method.toUpperCase()} ${path}`,
    [of.summary, of.description ?? 'No token is needed.'].join(' '),
    ...(query.length > 0
      ? [
          table(
            ['query', 'is'],
            query.map(({ name, description }) => [code(name), description ?? '']),
          ),
        ]
      : []),
    ...(body?.[1].schema ? [`Body (${code(body[0])}): ${typeOf(body[1].schema)}`] : []),
    ...(body?.[1].example !== undefined
      ? [`\`\`\`json\n${JSON.stringify(body[1].example, null, 2)}\n\`\`\``]
      : []),
    `Answers: ${answers.join(' · ')}`,
  ];
}

function schema(name: string, of: Schema): readonly string[] {
  const { properties, required = [], description } = of;
  return [
    `### ${name}`,
    ...(description ? [description] : []),
    properties
      ? table(
          ['field', 'is', 'needed', ''],
          Object.entries(properties).map(([field, shape]) => [
            code(field),
            typeOf(shape),
            required.includes(field) ? 'yes' : '',
            shape.description ?? '',
          ]),
        )
      : typeOf(of),
  ];
}

export function http(api: OpenApi): string {
  const all = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, of]) => ({ method, path, of })),
  );
  return page(
    'HTTP',
    'the routes and schemas in `packages/server/src/http`',
    `A running server describes itself at ${code('/openapi.json')} (OpenAPI 3.1); this page is the same for reading. A token goes into ${code('Authorization: Bearer …')}; ${code('holter token create')} makes one. Times are milliseconds since 1970 by the clock of the server, and null is "never" or "none". Errors are ${code('{"error": {"code", "message", "field"}}')}; which caller is given which status is stated cell by cell in ${code('packages/server/test/http/authorization/matrix.txt')}.`,
    ...api.tags.flatMap(({ name, description }) => [
      `## ${name}`,
      description,
      ...all
        .filter(({ of }) => of.tags.includes(name))
        .flatMap(({ method, path, of }) => operation(method, path, of)),
    ]),
    '## Schemas',
    ...Object.entries(api.components.schemas).flatMap(([name, of]) => schema(name, of)),
  );
}
