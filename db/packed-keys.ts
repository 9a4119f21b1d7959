/** Once after migration 0010: hashes of packed keys are made again, each with the scope of its key. SQL alone cannot read a pack. */
import { sql } from "drizzle-orm";
import { rowsOf } from "./everything.ts";
import { eventsIn, type Pack } from "./pack.ts";
import { keepKeys } from "./packing.ts";
import { allRows } from "./rows.ts";
import type { Session } from "./session.ts";
import { settingReads } from "./settings.ts";

/** The migration leaves it where there are packs. */
const marker = "packed_keys";

interface Backend {
  read: Session;
  lasting<T>(mode: "read" | "write", work: (session: Session) => Promise<T>): Promise<T>;
}

export async function scopePackedKeys({ read, lasting }: Backend): Promise<void> {
  const isPending = async (session: Session) => (await settingReads(session).setting(marker)) !== null;
  if (!(await isPending(read))) return;
  await lasting("write", async (session) => {
    if (!(await isPending(session))) return; // another process was first
    await allRows(session, sql`delete from packed_keys`);
    for await (const packs of rowsOf<Pack>(session, "packs")) await keepKeys(session, packs.flatMap(eventsIn));
    await allRows(session, sql`delete from settings where name = ${marker}`);
  });
}
