/** Reports of the files of decisions, each sent once: sessions start far more often than a default branch moves. */
import { anchorReport } from "../../repository/anchor-report.ts";
import { deleteOldAnswers, readAnswer, writeAnswer } from "../saved-answers.ts";
import type { AskedAnchors } from "./spool.ts";

const kind = "anchors";

/** The report of a checkout; null if there is none, or it is the one that was sent last. */
export function newAnchorReport(
  server: string,
  { project, folder, anchors }: AskedAnchors,
): { body: object; remember(): void } | null {
  const body = anchorReport(folder, anchors);
  if (!body) return null;
  const question = [server, project, folder];
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify(body)).digest("hex");
  if (readAnswer<{ at: number; hash: string }>(kind, question)?.hash === hash) return null;
  const remember = () => {
    const answer = { at: Date.now(), hash };
    try {
      writeAnswer(kind, question, answer);
      deleteOldAnswers(kind);
    } catch {} // a folder that cannot be written: it is sent again
  };
  return { body, remember };
}
