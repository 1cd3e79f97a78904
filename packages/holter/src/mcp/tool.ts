import { ClientError } from '@holter/server/local';
import { z } from 'zod';
import { CliFailure } from '../terminal/failure.ts';

/** One tool of an MCP server. What it answers is text for a model. */
export type Tool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: Readonly<Record<string, boolean>>;
  readonly call: (given: unknown) => Promise<ToolResult>;
};

/** A refusal is a result: the model should read it. */
export type ToolResult = {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly isError?: true;
};

/** What a call may change: nothing, reports and messages, or that an agent runs at all. */
export type Weight = 'reads' | 'reports' | 'stops';

const ANNOTATIONS: Readonly<Record<Weight, Tool['annotations']>> = {
  reads: { readOnlyHint: true, openWorldHint: false },
  reports: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  stops: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
};

export function defineTool<Shape extends z.ZodRawShape>(tool: {
  readonly name: string;
  readonly does: string;
  readonly weight: Weight;
  readonly input: Shape;
  readonly run: (input: z.infer<z.ZodObject<Shape>>) => Promise<string>;
}): Tool {
  const schema = z.strictObject(tool.input);
  const { $schema: _draft, ...inputSchema } = z.toJSONSchema(schema, { io: 'input' });
  return {
    name: tool.name,
    description: tool.does,
    inputSchema,
    annotations: ANNOTATIONS[tool.weight],
    call: async (given) => {
      const read = schema.safeParse(given ?? {});
      if (!read.success) return refusal(read.error.issues.map(inWords).join('; '));
      try {
        return textResult(await tool.run(read.data as z.infer<z.ZodObject<Shape>>));
      } catch (error) {
        return failureOf(error);
      }
    },
  };
}

const textResult = (text: string): ToolResult => ({ content: [{ type: 'text', text }] });

const refusal = (text: string): ToolResult => ({ ...textResult(text), isError: true });

const inWords = ({ path, message }: z.core.$ZodIssue): string =>
  path.length === 0 ? message : `${path.join('.')}: ${message}`;

/** What the user can do something about is told to the model; anything else is a bug. */
export function failureOf(error: unknown): ToolResult {
  if (error instanceof CliFailure)
    return refusal(error.next === null ? error.message : `${error.message}\nnext: ${error.next}`);
  if (error instanceof ClientError) return refusal(error.message);
  throw error;
}
