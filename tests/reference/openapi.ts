import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as schemas from '../../packages/server/src/http/schema/requests.ts';

type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly { readonly name: string; readonly description?: string }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema: { $ref?: string }; readonly example?: unknown }>
    >;
  };
  readonly responses: Readonly<Record<string, unknown>>;
};
type Document = {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

const requests: Readonly<Record<string, unknown>> = { ...schemas };

/** `npm run docs:lint-openapi` asks Redocly and swagger-parser, which are not installed here. */
export function checkOpenApi(read: () => Promise<unknown>): void {
  describe('the OpenAPI document', () => {
    let api: Document;
    let operations: readonly Operation[];
    beforeAll(async () => {
      api = (await read()) as Document;
      operations = Object.values(api.paths).flatMap((methods) => Object.values(methods));
    });

    it('refers only to what it holds, and holds only what it refers to', () => {
      const refs = [...JSON.stringify(api).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
      const used = new Set(refs.map(([, section, name]) => `${section}/${name}`));
      const held = ['schemas', 'responses'].flatMap((section) =>
        Object.keys(api.components[section] ?? {}).map((name) => `${section}/${name}`),
      );
      expect([...used].sort()).toEqual(held.sort());
      expect(JSON.stringify(api)).not.toMatch(/"\$ref":"(?!#\/components)/);
    });

    it('names every operation once, and puts it under a known tag', () => {
      const ids = operations.map(({ operationId }) => operationId);
      expect(new Set(ids).size).toBe(ids.length);
      for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]+$/);
      const tags = api.tags.map(({ name }) => name);
      for (const { operationId, tags: own } of operations)
        expect([operationId, tags]).toEqual([operationId, expect.arrayContaining([...own])]);
    });

    it('describes every parameter, who may call, and which errors come', () => {
      for (const { operationId, parameters, security, responses } of operations) {
        for (const { name, description } of parameters)
          expect([operationId, name, description]).toEqual([operationId, name, expect.any(String)]);
        expect(Object.keys(responses)).toContain('421');
        if (security.length > 0)
          expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403']));
      }
    });

    it('shows examples that are accepted', () => {
      const bodies = operations.flatMap(({ operationId, requestBody }) =>
        Object.values(requestBody?.content ?? {}).map((content) => ({ operationId, ...content })),
      );
      const shown = bodies.filter(({ example }) => example !== undefined);
      expect(shown.length).toBeGreaterThan(8);
      for (const { operationId, schema, example } of shown) {
        const name = /(\w+)Request$/.exec(schema.$ref ?? '')?.[1];
        if (name === undefined) continue;
        const request = requests[`${name.charAt(0).toLowerCase()}${name.slice(1)}`];
        expect(request, operationId).toBeInstanceOf(z.ZodType);
        expect((request as z.ZodType).safeParse(example).error, operationId).toBeUndefined();
      }
    });
  });
}
