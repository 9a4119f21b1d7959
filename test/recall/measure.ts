/** How well a search answers the queries of the set. */
import type { Memory, Query } from "./set.ts";

export interface Quality {
  queries: number;
  /** Share of what belongs to the answer (grade 2 and 3) that is among the first five. */
  recallAt5: number;
  /** One over the place of the first that belongs to the answer, averaged. */
  mrr: number;
  /** Gain by grades among the first ten, against the best order there is. */
  ndcgAt10: number;
}

export const isRelevant = (grade: number | undefined): boolean => grade !== undefined && grade >= 2;

/** @param answers keys of what each query found, best first */
export function qualityOf(queries: readonly Query[], answers: readonly string[][]): Quality {
  const all = queries.map(({ grades }, index) => {
    const found = answers[index] as string[];
    const relevant = [...grades].filter(([, grade]) => isRelevant(grade));
    const first = found.findIndex((key) => isRelevant(grades.get(key)));
    const hits = found.slice(0, 5).filter((key) => isRelevant(grades.get(key))).length;
    const ideal = [...grades.values()].sort((a, b) => b - a);
    return {
      recall: hits / Math.min(5, relevant.length),
      reciprocal: first < 0 ? 0 : 1 / (first + 1),
      ndcg: gain(found.map((key) => grades.get(key) ?? 0)) / gain(ideal),
    };
  });
  const mean = (value: (one: (typeof all)[number]) => number) =>
    all.reduce((sum, one) => sum + value(one), 0) / all.length;
  return {
    queries: all.length,
    recallAt5: mean((one) => one.recall),
    mrr: mean((one) => one.reciprocal),
    ndcgAt10: mean((one) => one.ndcg),
  };
}

const gain = (grades: number[]): number =>
  grades.slice(0, 10).reduce((sum, grade, place) => sum + (2 ** grade - 1) / Math.log2(place + 2), 0);

/** What a usual memory server does: the texts that hold the query, letter by letter, newest first. */
export function substringSearch(memories: readonly Memory[], { text, project }: Query): string[] {
  const wanted = text.toLowerCase();
  return seen(memories, project)
    .filter((memory) => memory.text.toLowerCase().includes(wanted))
    .map(({ key }) => key);
}

/** The same for each word by itself: texts that hold most of them first. */
export function wordSearch(memories: readonly Memory[], { text, project }: Query): string[] {
  const words = text.toLowerCase().split(/\s+/);
  return seen(memories, project)
    .map((memory) => ({
      key: memory.key,
      words: words.filter((word) => memory.text.toLowerCase().includes(word)).length,
    }))
    .filter((one) => one.words > 0)
    .toSorted((a, b) => b.words - a.words)
    .map(({ key }) => key);
}

const seen = (memories: readonly Memory[], project: string | null): Memory[] =>
  memories
    .filter(
      (memory) =>
        !memory.replacedBy && (project === null || memory.project === null || memory.project === project),
    )
    .toReversed();
