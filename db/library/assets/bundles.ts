/** The manifests of bundles. */

import { and, asc, eq, gt, isNotNull, notExists, sql } from "drizzle-orm";
import type { LibraryReads, LibraryWrites } from "../../../src/library/port.ts";
import type { ManifestFile } from "../../../src/library/rows.ts";
import type { Session } from "../../engine/session.ts";
import { preparedStatement } from "../../query/statements.ts";

const fileByPath = preparedStatement(({ db, dialect, t: { bundle_files } }) => {
  const { asset, path, size, sha256 } = bundle_files;
  const query = db
    .select({ path, size, sha256 })
    .from(bundle_files)
    .where(and(eq(asset, sql.placeholder("asset")), eq(path, sql.placeholder("path"))))
    .limit(sql.placeholder("limit"))
    .prepare();
  return dialect.reader<ManifestFile>(db, query, bundle_files);
});

const fileInserter = preparedStatement(({ db, dialect, t: { bundle_files } }) => ({
  insert: dialect.inserter(db, bundle_files),
}));

export function bundleReads(session: Session) {
  const { db, t } = session;
  const { asset, path, size, sha256 } = t.bundle_files;
  return {
    bundleFiles: (id) =>
      db.select({ path, size, sha256 }).from(t.bundle_files).where(eq(asset, id)).orderBy(asc(path)),
    async bundleFile(id, name) {
      const [row] = await fileByPath(session)({ asset: id, path: name, limit: 1 });
      return row ?? null;
    },
    bundlesWithoutManifest: (after, limit) => {
      const { id, project, key, sha256, size, kind, mime } = t.assets;
      return db
        .select({ id, project, key, sha256, size })
        .from(t.assets)
        .where(
          and(
            eq(kind, "html"),
            eq(mime, "application/zip"),
            isNotNull(key),
            gt(id, after),
            notExists(db.select({ asset }).from(t.bundle_files).where(eq(asset, id))),
          ),
        )
        .orderBy(asc(id))
        .limit(limit);
    },
  } satisfies Partial<LibraryReads>;
}

export const bundleWrites = (session: Session) =>
  ({
    async saveBundleFiles(asset, files) {
      const { db, t } = session;
      await db.delete(t.bundle_files).where(eq(t.bundle_files.asset, asset));
      const { insert } = fileInserter(session);
      await insert(files.map(({ path, size, sha256 }) => [asset, path, size, sha256]));
    },
  }) satisfies Partial<LibraryWrites>;
