import type { Json, JsonObject } from '../../../json/json.js';

/** Also sets a member named `__proto__`, which assignment would not. */
export function setMember(object: JsonObject, name: string, value: Json): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
