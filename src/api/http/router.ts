/** Finds the handler of a request: text in a path wins over `:name`, and that over a `*` at the end. */
import type { Connection } from "./api-middleware.ts";

/** Null where a parameter is not percent-encoded UTF-8, see `requireDecoded`. */
export type PathParameters = Readonly<Record<string, string | null>>;

export interface RouteInput {
  request: Request;
  server: Connection | null;
  params: PathParameters;
}

export type RouteHandler = (input: RouteInput) => Response | Promise<Response>;

interface Route {
  handle: RouteHandler;
  names: readonly string[];
}

/** The routes that share the beginning of a path, up to a slash. */
class Node {
  readonly texts = new Map<string, Node>();
  parameter: Node | undefined;
  rest: Node | undefined;
  readonly routes = new Map<string, Route>();

  add(part: string): Node {
    if (part === "*") return (this.rest ??= new Node());
    if (part.startsWith(":")) return (this.parameter ??= new Node());
    const node = this.texts.get(part) ?? new Node();
    this.texts.set(part, node);
    return node;
  }
}

const anyMethod = "ALL";

export class Router {
  readonly #root = new Node();

  /** A handler for one method comes before that of `all`. */
  on(method: string, path: string, handle: RouteHandler): void {
    const parts = partsOf(path);
    const { routes } = parts.reduce((node, part) => node.add(part), this.#root);
    if (routes.has(method)) throw new Error(`Two handlers for ${method} ${path}`);
    const names = parts.filter((part) => part.startsWith(":")).map((part) => part.slice(1));
    routes.set(method, { handle, names });
  }

  all(path: string, handle: RouteHandler): void {
    this.on(anyMethod, path, handle);
  }

  /** @returns null if no route has the path */
  find(method: string, path: string): { handle: RouteHandler; params: PathParameters } | null {
    const values: string[] = [];
    const route = find(this.#root, method, partsOf(path), 0, values);
    if (!route) return null;
    const params = Object.fromEntries(route.names.map((name, at) => [name, decoded(values[at] as string)]));
    return { handle: route.handle, params };
  }
}

const partsOf = (path: string): string[] => path.slice(1).split("/");

/** @param values of the parameters on the way, which the caller reads */
function find(node: Node, method: string, parts: string[], at: number, values: string[]): Route | undefined {
  const part = parts[at];
  if (part === undefined) return routeOf(node, method);
  const text = node.texts.get(part);
  const found = text && find(text, method, parts, at + 1, values);
  if (found) return found;
  if (node.parameter && part !== "") {
    values.push(part);
    const found = find(node.parameter, method, parts, at + 1, values);
    if (found) return found;
    values.pop();
  }
  return node.rest && routeOf(node.rest, method);
}

const routeOf = ({ routes }: Node, method: string): Route | undefined =>
  routes.get(method) ?? routes.get(anyMethod);

function decoded(value: string): string | null {
  try {
    return decodeURIComponent(value);
  } catch {
    return null;
  }
}
