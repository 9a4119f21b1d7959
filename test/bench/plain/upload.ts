/**
 * What a plain program does for an upload, as a form or reserved: takes it apart, hashes it, stores it on the disk
 * and as a row of SQLite, both safe from a loss of power before it answers. As svc, it has a folder for each file,
 * and syncs the file, the two folders that name it, and the database. It checks nothing and looks at nothing.
 */
import { Database } from "bun:sqlite";
import { mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";

const folder = process.argv[2] as string;
await mkdir(folder, { recursive: true });
const database = new Database(join(folder, "plain.db"), { create: true });
database.exec(
  "pragma journal_mode = wal; pragma synchronous = full; create table assets (id text primary key, size integer, sha256 text)",
);
const insert = database.prepare("insert into assets values (?, ?, ?)");
const root = await open(folder, "r");
/** Of files that are sent but not finalized. */
const hashes = new Map<string, { size: number; sha256: string }>();

const pathOf = (id: string) => join(folder, id);

/** A synced file under a temporary name. */
async function store(id: string, bytes: Uint8Array): Promise<void> {
  hashes.set(id, { size: bytes.length, sha256: Bun.CryptoHasher.hash("sha256", bytes, "hex") });
  const handle = await open(pathOf(`${id}.part`), "wx");
  await handle.writeFile(bytes);
  await handle.sync();
  await handle.close();
}

async function finalize(id: string): Promise<Response> {
  const { size, sha256 } = hashes.get(id) as { size: number; sha256: string };
  hashes.delete(id);
  await mkdir(pathOf(id));
  await rename(pathOf(`${id}.part`), join(pathOf(id), "file"));
  const own = await open(pathOf(id), "r");
  await own.sync();
  await own.close();
  await root.sync();
  insert.run(id, size, sha256);
  return Response.json({ id, size, sha256 }, { status: 201 });
}

function reserve(origin: string): Response {
  const id = Bun.randomUUIDv7();
  return Response.json(
    { upload_url: `${origin}/files/${id}`, finalize_url: `${origin}/finalize/${id}`, finalize_body: {} },
    { status: 201 },
  );
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    const [, what, name = ""] = new URL(request.url).pathname.split("/");
    if (what === "finalize") return finalize(name);
    if (what === "files") {
      await store(name, await request.bytes());
      return new Response();
    }
    if (request.headers.get("content-type") === "application/json")
      return reserve(new URL(request.url).origin);
    const file = (await request.formData()).get("file") as File;
    const id = Bun.randomUUIDv7();
    await store(id, await file.bytes());
    return finalize(id);
  },
});
process.stdout.write(`${server.url.origin}\n`);
