/** A read-only store of files embedded in the program, such as those of the demo. */
import { notImplemented } from "../../core/problem.ts";
import { requireKey, requirePrefix } from "./keys.ts";
import type { OwnedStore } from "./store.ts";

/** All objects share the start time of the process. */
const modifiedAt = new Date();

const refuseWrite = async (): Promise<never> => {
  throw notImplemented("This store is read-only.");
};

export function embeddedStore(objects: ReadonlyMap<string, Blob>): OwnedStore {
  const inOrder = [...objects.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return {
    baseUrl: null,
    parts: null,
    signedPut: async () => null,
    put: refuseWrite,
    copy: refuseWrite,
    join: refuseWrite,
    delete: refuseWrite,
    async get(key, range) {
      const object = objects.get(requireKey(key));
      if (!object) return null;
      const { start = 0, end = object.size } = range ?? {};
      return {
        size: object.size,
        body: object.slice(start, Math.max(start, Math.min(end, object.size))).stream(),
      };
    },
    async stat(key) {
      const object = objects.get(requireKey(key));
      return object ? { size: object.size, modifiedAt } : null;
    },
    async *list(prefix, after = "") {
      requirePrefix(prefix);
      const behind = Buffer.from(after);
      for (const key of inOrder) {
        if (!key.startsWith(prefix) || Buffer.compare(Buffer.from(key), behind) <= 0) continue;
        yield { key, size: (objects.get(key) as Blob).size, modifiedAt };
      }
    },
    freeBytes: async () => 0,
    listLeftovers: async () => [],
    deleteLeftovers: async () => 0,
    owner: async () => "this",
    lastOwner: () => "this",
    takeOver: refuseWrite,
  };
}
