/** A field as the reference of the API describes it: what a form needs to know. */
export interface FieldSchema {
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  enum?: string[];
  const?: unknown;
  description?: string;
  items?: FieldSchema;
  properties?: Record<string, FieldSchema>;
  additionalProperties?: FieldSchema | false;
  format?: string;
}
