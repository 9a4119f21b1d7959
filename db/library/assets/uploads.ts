/** Reserved uploads, and the received pieces of resumable ones. */

import { and, asc, count, eq, getTableColumns, gt, isNotNull, isNull, lte, sql, sum } from "drizzle-orm";
import type { LibraryReads, LibraryWrites } from "../../../src/library/port.ts";
import type { UploadRow } from "../../../src/library/rows.ts";
import type { Session } from "../../engine/session.ts";
import { placeholders, preparedStatement, preparedWrite } from "../../query/statements.ts";

const byId = preparedStatement(({ db, dialect, t: { uploads } }) => {
  const query = db
    .select()
    .from(uploads)
    .where(eq(uploads.id, sql.placeholder("id")))
    .limit(sql.placeholder("limit"))
    .prepare();
  return dialect.reader<UploadRow>(db, query, uploads);
});
const insertUpload = preparedWrite(({ db, t: { uploads } }) =>
  db
    .insert(uploads)
    .values(placeholders(Object.keys(getTableColumns(uploads))) as unknown as typeof uploads.$inferInsert)
    .prepare(),
);
const finishUpload = preparedWrite(({ db, t: { uploads } }) =>
  db
    .update(uploads)
    .set(placeholders(["size", "sha256", "is_final"]))
    .where(eq(uploads.id, sql.placeholder("id")))
    .prepare(),
);
const deleteUpload = preparedWrite(({ db, t: { uploads } }) =>
  db
    .delete(uploads)
    .where(eq(uploads.id, sql.placeholder("id")))
    .prepare(),
);
const deleteSegments = preparedWrite(({ db, t: { upload_segments: segments } }) =>
  db
    .delete(segments)
    .where(eq(segments.upload_id, sql.placeholder("id")))
    .prepare(),
);

/** The columns that a reservation begins with. */
const reserved = {
  size: null,
  sha256: null,
  length: null,
  multipart_id: null,
  is_final: false,
} satisfies Partial<UploadRow>;

export function uploadReads(session: Session) {
  const { db, t } = session;
  const { uploads, upload_segments: segments } = t;
  return {
    async upload(id) {
      const [row] = await byId(session)({ id, limit: 1 });
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
  } satisfies Partial<LibraryReads>;
}

export function uploadWrites(session: Session) {
  const { db, t } = session;
  const { uploads, upload_segments: segments } = t;
  return {
    async addUpload(upload) {
      await insertUpload(session)({ ...reserved, ...upload });
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
    async finishUpload(id, { size, sha256 }) {
      await finishUpload(session)({ id, size, sha256, is_final: true });
    },
    async removeUpload(id) {
      await deleteSegments(session)({ id });
      await deleteUpload(session)({ id });
    },
  } satisfies Partial<LibraryWrites>;
}
