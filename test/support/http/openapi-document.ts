// What tests read of the documents of the interface (OpenAPI), and what the references in them stand for.
import assert from 'node:assert/strict';
import type { SchemaObject } from 'ajv/dist/2020.js';

export interface Document {
  openapi: string;
  info: { version: string };
  servers: { url: string }[];
  security: Record<string, unknown>[];
  paths: Record<string, { get: Operation }>;
  components: {
    parameters: Record<string, Parameter>;
    /** The document of OGC API - Features describes none. */
    headers?: Record<string, Header>;
    responses: Record<string, Response>;
    schemas: Record<string, SchemaObject>;
    securitySchemes: Record<string, object>;
  };
}
interface Operation {
  parameters?: (Parameter | Reference)[];
  security?: unknown[];
  responses: Record<string, Response | Reference>;
}
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  style?: string;
  explode?: boolean;
  schema: Record<string, unknown>;
  example?: unknown;
}
export interface Response {
  headers?: Record<string, Header | Reference>;
  content?: Record<string, { schema: SchemaObject; examples?: Record<string, Example> }>;
}
interface Header {
  required?: boolean;
  schema: SchemaObject;
}
interface Example {
  value: unknown;
  'x-request'?: string;
}
interface Reference {
  $ref: string;
}

/** What a reference stands for, of all that it may name. */
export function resolved<T extends object>(one: T | Reference, all: Readonly<Record<string, T>> = {}): T {
  return '$ref' in one ? (all[one.$ref.split('/').at(-1) ?? ''] ?? assert.fail(one.$ref)) : one;
}

/** The parameters of a path, by their names. */
export function parametersOf({ paths, components }: Document, path: string): Map<string, Parameter> {
  const { parameters = [] } = (paths[path] ?? assert.fail(path)).get;
  return new Map(parameters.map((one) => resolved(one, components.parameters)).map((one) => [one.name, one]));
}
