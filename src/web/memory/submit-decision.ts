/** Handles the forms that record, replace, reword, and retire decisions, when they are sent without scripts. */

import type { DecisionRecord } from "../../memory/list-schemas.ts";
import {
  confirmDecision,
  decide,
  dropDecision,
  retireDecision,
  rewordDecision,
  setDecisionAnchors,
  setDecisionChecks,
} from "../../memory/operations.ts";
import type { Decided } from "../../memory/schema.ts";
import { rejectedPath } from "../../memory/set-ref.ts";
import type { DecisionDetail } from "../../overview/memory/decision-schema.ts";
import { getDecision } from "../../overview/operations/memory.ts";
import { hasScope } from "../layout.tsx";
import { callOperation, type Form, orRefusal, type Page, type View } from "../view.ts";
import { decisionPage, type Outcome } from "./decision.tsx";
import type { RefusedDecision } from "./decision-forms.tsx";
import { decisionUrl } from "./decision-list.tsx";
import { anchorsOfText } from "./files.tsx";
import { memoryPage } from "./memory.tsx";
import { onToday } from "./proposal.tsx";

/** The source of decisions that are recorded on the site. */
const source = "web";

const urlOf = (id: number, done: Outcome): string => `${decisionUrl({ id })}?done=${done}`;

/**
 * Records a decision, which replaces another if the path names one. Returns the URL to redirect to: its page.
 * After a 400, 404 or 409 it returns the page of the form again, with the error and what was typed.
 */
export async function submitDecision(view: View, form: Form): Promise<string | Page> {
  const { id } = view.params;
  const given = {
    project: form.get("project"),
    text: form.get("text")?.trim() ?? "",
    source_ref: form.get("source_ref")?.trim() ?? "",
  };
  const work = async () => {
    const supersedes = numberOf(id);
    const decided = await callOperation<Decided>(view, decide, { ...given, source, supersedes });
    return urlOf(decided.id, decided.added ? "recorded" : "known");
  };
  return orRefused(view, work, given, id ? decisionPage : memoryPage);
}

/** Retires the decision that the path names, and returns the URL of the page that the form is on. */
export async function submitRetirement(view: View, form: Form): Promise<string | Page> {
  const id = numberOf(view.params.id);
  return orRefused(view, async () => {
    await callOperation(view, retireDecision, { id });
    return form.has(onToday) ? "/" : urlOf(Number(id), "retired");
  });
}

/**
 * Confirms or drops what an agent proposed, and returns the URL of the page that the form is on. On Today the
 * item leaves the list, also when another person was faster.
 */
export async function submitStanding(
  view: View,
  form: Form,
  done: "confirmed" | "dropped",
): Promise<string | Page> {
  const id = numberOf(view.params.id);
  return orRefused(view, async () => {
    const operation = done === "confirmed" ? confirmDecision : dropDecision;
    const { standing, valid_until } = await callOperation<DecisionRecord>(view, operation, { id });
    // Of a decision that an agent retired, its end is confirmed, or taken back.
    const ofEnd =
      done === "confirmed" ? valid_until !== null && "ended" : standing === "confirmed" && "restored";
    return form.has(onToday) ? "/" : urlOf(Number(id), ofEnd || done);
  });
}

/** Changes the words of a rejection's decision, and returns the URL of the page that the form is on. */
export async function submitRewording(view: View, form: Form): Promise<string | Page> {
  const text = form.get("text")?.trim() ?? "";
  const work = async () => {
    const input = { id: numberOf(view.params.id), text };
    return urlAfter(form, await callOperation<DecisionRecord>(view, rewordDecision, input), "reworded");
  };
  return orRefused(view, work, { text, source_ref: "" });
}

/** Saves the checks of a decision with one that was proposed, and returns the URL of the page that the form is on. */
export async function submitCheck(view: View, form: Form): Promise<string | Page> {
  return orRefused(view, async () => {
    const input = { id: numberOf(view.params.id), checks: jsonOf(form.get("checks")) };
    return urlAfter(form, await callOperation<DecisionRecord>(view, setDecisionChecks, input), "checked");
  });
}

/** Replaces the files that a decision speaks of, and returns the URL of the page that the form is on. */
export async function submitAnchors(view: View, form: Form): Promise<string | Page> {
  const id = numberOf(view.params.id);
  return orRefused(view, async () => {
    const read = () => callOperation<DecisionDetail>(view, getDecision, { id });
    const known = hasScope(view, "memory:read") ? (await read()).anchors : [];
    const anchors = anchorsOfText(form.get("files") ?? "", known);
    const decision = await callOperation<DecisionRecord>(view, setDecisionAnchors, { id, anchors });
    return urlAfter(form, decision, "files");
  });
}

/** The URL of the page that the form is on: Today, that of a rejected asset, or that of the decision. */
function urlAfter(form: Form, { id, project, source_ref }: DecisionRecord, done: Outcome): string {
  if (form.has(onToday)) return "/";
  return form.has("asset") && source_ref !== null
    ? `${rejectedPath(project, source_ref)}#rejection`
    : urlOf(id, done);
}

/** Anything but JSON is passed on, and the operation rejects it. */
function jsonOf(text = ""): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Numbers as numbers. Anything else is passed on, and the operation rejects it. */
const numberOf = (text: string | undefined) => (text && /^\d+$/.test(text) ? Number(text) : text);

type Given = Omit<RefusedDecision, "message">;

function orRefused(
  view: View,
  work: () => Promise<string>,
  given: Given = { text: "", source_ref: "" },
  page: typeof decisionPage | typeof memoryPage = decisionPage,
): Promise<string | Page> {
  const statuses = hasScope(view, "memory:read") ? [400, 409] : [];
  return orRefusal(statuses, work, (message) => page(view, { ...given, message }));
}
