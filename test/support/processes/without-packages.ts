// Arguments of node for a program that is run as if packages were not installed.

/** @param prefix what the names of the packages begin with */
export function withoutPackages(prefix: string): string[] {
  const resolver = `export async function resolve(name, context, next) {
    if (!name.startsWith(${JSON.stringify(prefix)})) return next(name, context);
    throw Object.assign(new Error("Cannot find package '" + name + "'"), { code: 'ERR_MODULE_NOT_FOUND' });
  }`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(moduleUrl(resolver))});`;
  return ['--import', moduleUrl(register)];
}

function moduleUrl(text: string): string {
  return `data:text/javascript,${encodeURIComponent(text)}`;
}
