/** Loaded before a program, gives it `cdktn` wherever it imports `cdktf`, as an alias in a package.json would. */
import { register } from 'node:module';

const cdktn = JSON.stringify(import.meta.resolve('cdktn'));
const hooks = `export const resolve = (name, context, next) => next(name === 'cdktf' ? ${cdktn} : name, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
