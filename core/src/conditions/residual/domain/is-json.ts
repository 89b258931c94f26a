import type { Json } from '../../../json/json.js';
import { isMap, type Value } from '../../values/value.js';

/** Whether a value may be sent in a request: moments and lengths of time may not. */
export function isJson(value: Value): value is Json {
  if (value === null || typeof value !== 'object') return true;
  if (Array.isArray(value)) return (value as readonly Value[]).every(isJson);
  return isMap(value) && Object.values(value).every(isJson);
}
