/** Reserved uploads, and the received pieces of resumable ones. */
import { and, asc, count, eq, gt, isNotNull, isNull, lte, sum } from "drizzle-orm";
import type { Reads, Writes } from "../../src/data.ts";
import type { Session } from "../engine/session.ts";

export function uploadReads({
  db,
  t: { uploads, upload_segments: segments },
}: Session): Pick<Reads, "upload" | "uploadSegments" | "openUploads" | "expiredUploads"> {
  return {
    async upload(id) {
      const [row] = await db.select().from(uploads).where(eq(uploads.id, id));
      return row ?? null;
    },
    uploadSegments: (id) =>
      db
        .select({
          position: segments.position,
          size: segments.size,
          name: segments.name,
          sha256: segments.sha256,
        })
        .from(segments)
        .where(eq(segments.upload_id, id))
        .orderBy(asc(segments.position)),
    async openUploads(token, now) {
      const isOpen = and(isNotNull(uploads.length), isNull(uploads.size), gt(uploads.expires_at, now));
      const [[own], [announced], [received]] = await Promise.all([
        db
          .select({ count: count() })
          .from(uploads)
          .where(and(isOpen, token === null ? isNull(uploads.token) : eq(uploads.token, token))),
        db
          .select({ bytes: sum(uploads.length) })
          .from(uploads)
          .where(isOpen),
        db
          .select({ bytes: sum(segments.size) })
          .from(segments)
          .innerJoin(uploads, eq(uploads.id, segments.upload_id))
          .where(isOpen),
      ]);
      return {
        count: Number(own?.count ?? 0),
        missingBytes: Number(announced?.bytes ?? 0) - Number(received?.bytes ?? 0),
      };
    },
    expiredUploads: (before, limit) =>
      db.select().from(uploads).where(lte(uploads.expires_at, before)).limit(limit),
  };
}

type UploadWrites = Pick<
  Writes,
  "addUpload" | "startUpload" | "addUploadSegments" | "fillUpload" | "removeUpload"
>;

export function uploadWrites({ db, t: { uploads, upload_segments: segments } }: Session): UploadWrites {
  return {
    async addUpload(upload) {
      await db.insert(uploads).values(upload);
    },
    async startUpload(id, begun) {
      await db.update(uploads).set(begun).where(eq(uploads.id, id));
    },
    async addUploadSegments(id, rows) {
      const [upload] = await db.select({ id: uploads.id }).from(uploads).where(eq(uploads.id, id));
      if (!upload) return false;
      const added = await db
        .insert(segments)
        .values(rows.map((row) => ({ ...row, upload_id: id })))
        .onConflictDoNothing()
        .returning({ position: segments.position });
      return added.length === rows.length;
    },
    async fillUpload(id, file) {
      await db.update(uploads).set(file).where(eq(uploads.id, id));
    },
    async removeUpload(id) {
      await db.delete(segments).where(eq(segments.upload_id, id));
      await db.delete(uploads).where(eq(uploads.id, id));
    },
  };
}
