/**
 * What a plain program does for a form with a file: takes it apart, hashes it, keeps it on the disk, and a
 * row of it in SQLite, both safe from a loss of power before it answers: it syncs the file, the folder that
 * names it, and the database. It checks nothing, looks at nothing, and keeps all files in one folder, where
 * svc makes a folder for each, which is a name more to sync.
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

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    const file = (await request.formData()).get("file") as File;
    const bytes = new Uint8Array(await file.arrayBuffer());
    const id = Bun.randomUUIDv7();
    const sha256 = Bun.CryptoHasher.hash("sha256", bytes, "hex");
    const handle = await open(join(folder, `${id}.part`), "wx");
    await handle.write(bytes);
    await handle.sync();
    await handle.close();
    await rename(join(folder, `${id}.part`), join(folder, id));
    await root.sync();
    insert.run(id, bytes.length, sha256);
    return Response.json({ id, size: bytes.length, sha256 }, { status: 201 });
  },
});
process.stdout.write(`${server.url.origin}\n`);
