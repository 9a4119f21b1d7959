/**
 * The census: which test proves which case of the reference (F1 to F68), and which promise of those that have
 * no number in promises.ts. A file below test/, and words of its test; test/promises.test.ts sees that they
 * are there.
 */
type Proof = [file: string, words: string];

export const cases: Record<string, Proof[]> = {
  F1: [["feed/paging.test.ts", "backward in pages of %d: each event once, newest first"]],
  F2: [["faults/tail.test.ts", "none missed and none twice, by polling and on the stream"]],
  F3: [["faults/tail.test.ts", "none missed and none twice, by polling and on the stream"]],
  F4: [["feed/paging.test.ts", "events present at the start are returned once while new ones arrive"]],
  F5: [
    ["db/append.test.ts", "times keep rising when the clock is set back an hour, forward a day and back"],
    ["faults/clock.test.ts", "under clocks that jump by hours and days"],
  ],
  F6: [
    [
      "integrations/forges/github-changes.test.ts",
      "timestamps in a delivery do not affect the order of the feed",
    ],
  ],
  F7: [
    ["feed/paging.test.ts", "the same instant written differently gives the same page"],
    ["api/http/input.test.ts", "with a plus that was not written as %2B is a 400"],
  ],
  F8: [
    ["feed/paging.test.ts", "filtered by %s: each matching event once"],
    ["feed/paging.test.ts", "`after` at or later than `before` gives an empty page"],
  ],
  F9: [["faults/assets.test.ts", "finalizes, of"]],
  F10: [
    ["library/assets/versions.test.ts", "is one of ten concurrent ones: the chain has one head and no gap"],
  ],
  F11: [
    ["library/assets/review.test.ts", "and a concurrent one: the last of them in the feed is the asset's"],
  ],
  F12: [
    ["library/assets/publication.test.ts", "ten times concurrently is one publication"],
    ["library/assets/publication.test.ts", "and a concurrent rejection: one of them succeeds"],
  ],
  F13: [
    ["faults/assets.test.ts", "that is written again while it is finalized, reviewed and published"],
    ["library/assets/reservations.test.ts", "cannot be overwritten once it is an asset"],
  ],
  F14: [["library/assets/retention.test.ts", "a finalize after cleanup is a 404 without a row"]],
  F15: [["faults/deliveries.test.ts", "times at once at two processes, again, and under another id"]],
  F16: [
    ["faults/failing-syscalls.test.ts", "a crash at any of the calls loses nothing that was acknowledged"],
    ["faults/restart.test.ts", "without a checkpoint are readable immediately after a crash"],
  ],
  F17: [
    ["faults/kill.test.ts", "that is killed at any call that writes"],
    ["faults/kill.test.ts", "that is killed half-way"],
    ["db/migrate.test.ts", "that fail half-way leave %s as it was"],
    ["db/migrate.test.ts", "run once when several processes start concurrently without a database"],
  ],
  F18: [["files/probe/thumbnails.test.ts", "that hangs is killed, and there is no thumbnail (F18)"]],
  F19: [
    ["db/sqlite.test.ts", "stops the start with one line and stays as it is"],
    ["db/migrate.test.ts", "of a newer version stop the start with one clear line"],
  ],
  F20: [
    ["faults/full-disk.test.ts", "on a full disk refuses what it cannot keep"],
    ["files/stores/disk.test.ts", "fails a put with a 503, leaves nothing, and still takes a file that fits"],
  ],
  F21: [
    ["faults/full-disk.test.ts", "turns read-only refuses writes, reads all the same"],
    ["faults/full-disk.test.ts", "on a read-only disk it does not start, and says so in a line"],
  ],
  F22: [
    [
      "library/assets/files.test.ts",
      "%s are a problem document at their URL, their rows stay readable, and doctor reports them",
    ],
    [
      "files/stores/disk.test.ts",
      "a file that the process may not read is a 503, before the answer has begun",
    ],
    [
      "api/doctor/consistency.test.ts",
      "missing, truncated, changed and orphaned files are each reported by key",
    ],
  ],
  F23: [
    ["faults/bad-network.test.ts", "uploads are 503 in ten seconds, the feed does not notice"],
    ["faults/bucket-faults.test.ts", "creates no row without its file, delays no other request"],
  ],
  F24: [["files/stores/s3-faults.test.ts", "answers 200 with another server's page: a 503"]],
  F25: [
    ["faults/connections.test.ts", "a Postgres that crashes and comes back"],
    ["db/postgres-errors.test.ts", "a deadlock or serialization failure is retried"],
    ["db/postgres-errors.test.ts", "a Postgres out of connections causes 503s"],
  ],
  F26: [["db/locks.test.ts", "costs writers a 503 within ten seconds"]],
  F27: [["integrations/outbox/retries.test.ts", "does not block reviewers while GitHub hangs"]],
  F28: [
    ["faults/slow-clients.test.ts", "all are disconnected within a minute, and no other client waits"],
    ["api/http/input-wire.test.ts", "among five hundred that say nothing, half a head, or half a body"],
    ["feed/live-server.test.ts", "buffers little for stalled readers"],
  ],
  F29: [["faults/bucket-faults.test.ts", "of 50 KB a second is heard to its end"]],
  F30: [
    ["api/http/input-wire.test.ts", "a field of 20 KB"],
    ["api/http/json-bodies.test.ts", "with a right, a missing, or a wrong content-length"],
    ["api/http/form-connections.test.ts", "too large, in chunks"],
  ],
  F31: [
    ["api/http/json-bodies.test.ts", "is at most 32 levels deep"],
    ["api/http/json-bodies.test.ts", "of one very long text is a 400"],
    ["api/http/json-bodies.test.ts", "is UTF-8: anything else is a 400"],
  ],
  F32: [
    ["api/http/event-input.test.ts", "members that are none of a caller's business change nothing"],
    ["library/assets/uploads.test.ts", "cannot set fields that the server sets"],
  ],
  F33: [["api/http/json-bodies.test.ts", "is JSON and says so, else 415"]],
  F34: [["api/http/forms.test.ts", "is refused, in one piece and byte by byte"]],
  F35: [["api/http/input-wire.test.ts", "hears as much as it said, and is cut"]],
  F36: [
    ["api/http/http.test.ts", "is routed by its path, not by what stands eleven characters in"],
    ["api/http/http.test.ts", "of another host is never repeated in a link"],
    ["api/http/rate-limit-headers.test.ts", "does not believe X-Forwarded-For"],
  ],
  F37: [["api/http/input.test.ts", "with a bad %s is a 400 that names it"]],
  F38: [["library/assets/library.test.ts", "is a 400 for an invalid query"]],
  F39: [["api/http/errors.test.ts", "is a problem document, never a page"]],
  F40: [["files/probe/identify.test.ts", "a damaged image is a file without dimensions (F40)"]],
  F41: [["files/probe/measures.test.ts", "images that unpack to more than they are (F41)"]],
  F42: [
    ["files/probe/identify.test.ts", "an SVG with entities (F42)"],
    ["web/hostile.test.ts", "that is something else than it says does nothing"],
  ],
  F43: [
    ["files/probe/identify.test.ts", "a file that pretends is what its bytes are (F43)"],
    ["web/hostile.test.ts", "that is something else than it says does nothing"],
  ],
  F44: [["files/probe/measures.test.ts", "a measure is a whole number or null (F44)"]],
  F45: [["files/probe/bundle-names.test.ts", "or is not the same everywhere, is refused (F45)"]],
  F46: [
    [
      "files/probe/bundle-limits.test.ts",
      "a zip that unpacks to more than the limit, or declares wrong sizes, is refused (F46)",
    ],
  ],
  F47: [["web/hostile.test.ts", "runs in its frame, and reaches nothing outside of it"]],
  F48: [
    ["library/assets/file-names.test.ts", "hostile forms is safe in a key, an address, a header and a title"],
  ],
  F49: [["library/assets/file-urls.test.ts", "are for what was signed: nothing of it can be changed"]],
  F50: [["library/assets/finalize.test.ts", "can be finalized with its own key and project only"]],
  F51: [["library/assets/finalize.test.ts", "can be finalized with its own key and project only"]],
  F52: [
    ["library/assets/finalize.test.ts", "accepts one file"],
    ["library/assets/finalize.test.ts", "is valid for its own id, its own purpose, PUT, and tus only"],
    ["library/assets/finalize.test.ts", "rejects a file that is too large or not of the announced size"],
  ],
  F53: [
    ["core/auth/scopes.test.ts", "the API is open to tokens with the scope of the operation"],
    ["core/auth/access.test.ts", "does not take a token from anywhere but the Authorization field"],
  ],
  F54: [
    ["feed/live.test.ts", "ends within five seconds after its token is revoked"],
    ["web/sessions.test.ts", "ends after twelve hours, with its token, and on sign-out"],
  ],
  F55: [["web/form.test.ts", "writes nothing: review, publish, sign-in, sign-out"]],
  F56: [["web/sessions.test.ts", "is guessed at ten times a minute from one address"]],
  F57: [
    ["web/hostile.test.ts", "stand on every page as words"],
    ["web/pages.test.ts", "shows the words of others as words, and links to https alone"],
  ],
  F58: [["cli/feed.test.ts", "untrusted text is one row with visible escapes and no control characters"]],
  F59: [["feed/live.test.ts", "starts with new events, each one once and as in the feed"]],
  F60: [["api/mcp/authors.test.ts", "is enclosed in tags that its author could not guess"]],
  F61: [
    ["memory/recall.test.ts", "is plain words: it has no syntax"],
    ["faults/recall.test.ts", "hostile queries are answered"],
  ],
  F62: [
    ["rooms.test.ts", "open connections in three places alone"],
    ["integrations/forges/github-requests.test.ts", "keeps only https URLs, with special characters escaped"],
  ],
  F63: [
    [
      "integrations/forges/github-signatures.test.ts",
      "an invalid signature is a 401, and nothing is written",
    ],
  ],
  F64: [
    ["integrations/forges/github.test.ts", "a replayed body with a new delivery id adds nothing"],
    ["integrations/forges/github-signatures.test.ts", "a body sent with another event's name adds nothing"],
  ],
  F65: [
    ["integrations/forges/github-changes.test.ts", "webhooks of a repository that is not linked are ignored"],
    ["integrations/forges/github-requests.test.ts", "may have up to 25 MiB"],
  ],
  F66: [["api/mcp/requests.test.ts", "%s is refused"]],
  F67: [
    ["api/mcp/scopes.test.ts", "every tool is covered"],
    ["core/auth/scopes.test.ts", "a tool is open to callers with its scope"],
  ],
  F68: [["api/mcp/stdio.test.ts", "a message of 1.5 MB is refused with its id"]],
};

/** Promises that are kept in the suite, every time, and have no count of their own. */
export const keptInSuite: Record<string, Proof> = {
  R18: ["feed/live.test.ts", "ends within five seconds after its token is revoked"],
  R19: ["web/hostile.test.ts", "runs in its frame, and reaches nothing outside of it"],
  R20: ["web/hostile.test.ts", "stand on every page as words"],
  R21: ["api/http/input.test.ts", "with a bad %s is a 400 that names it"],
  R24: ["api/backup/backup.test.ts", "a restore brings back every row and file"],
};

/** Promises that nothing proves, and why. */
export const unproven: Record<string, string> = {};
