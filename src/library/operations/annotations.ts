/** Operations on annotations. */

import { operationOf } from "../../core/operation.ts";
import { annotate } from "../annotations/annotate.ts";
import { listAnnotations as loadAnnotations } from "../annotations/annotations.ts";
import { changeAnnotation as change } from "../annotations/change.ts";
import {
  AnnotateInput,
  AnnotationChangeInput,
  AnnotationsQuery,
  RespondInput,
} from "../annotations/requests.ts";
import { respond } from "../annotations/respond.ts";
import { Annotation, AnnotationList } from "../annotations/schema.ts";
import type { LibraryContext } from "../context.ts";

const operation = operationOf<LibraryContext>("reviews");

export const listAnnotations = operation({
  id: "listAnnotations",
  summary: "List annotations",
  description:
    "A reviewer's marks on an asset, each with its place and as a line of text, by number; replies follow " +
    "their thread. Drafts are listed only for their author.",
  scope: "assets:read",
  http: { method: "GET", path: "/assets/{id}/annotations", errors: [404] },
  input: AnnotationsQuery,
  output: AnnotationList,
  run: loadAnnotations,
});

export const annotateAsset = operation({
  id: "annotateAsset",
  summary: "Annotate an asset",
  description:
    "Adds a mark at a place of this version, or with `parent_id` a reply. A draft is visible only to you " +
    "until you review the version. A version takes 1,000 annotations and replies.",
  scope: "assets:review",
  http: {
    method: "POST",
    path: "/assets/{id}/annotations",
    status: 201,
    body: "AnnotateRequest",
    errors: [404, 409],
  },
  input: AnnotateInput,
  output: Annotation,
  run: (ctx, input, caller) => annotate(ctx, input, caller),
});

export const changeAnnotation = operation({
  id: "changeAnnotation",
  summary: "Change an annotation",
  description:
    "Sets its state: `honoured` confirms that the newest version does what it asks, `open` reopens it, " +
    "which puts it first in the next brief. While it is a draft, its author can also edit it.",
  scope: "assets:review",
  http: { method: "POST", path: "/annotations/{id}", body: "AnnotationChange", errors: [404, 409] },
  input: AnnotationChangeInput,
  output: Annotation,
  run: change,
});

export const respondToAnnotations = operation({
  id: "respondToAnnotations",
  summary: "Respond to annotations",
  description:
    "Once a new version is uploaded: marks annotations as addressed in it, or replies. A reviewer confirms.",
  scope: "assets:write",
  http: {
    method: "POST",
    path: "/assets/{id}/annotations/respond",
    body: "AnnotationResponse",
    errors: [404, 409],
  },
  tool: { name: "svc_asset_annotate", title: "Respond to annotations" },
  input: RespondInput,
  output: AnnotationList,
  run: respond,
});
