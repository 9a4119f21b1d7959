/** Measures how well a search answers the queries of the test set. */
import type { Memory, Query } from "./set.ts";

export interface Quality {
  queries: number;
  /** Recall at 5: the share of the relevant memories (grades 2 and 3) among the first five hits. */
  recallAt5: number;
  /** Mean reciprocal rank of the first relevant hit. */
  mrr: number;
  /** Normalized discounted cumulative gain of the first ten hits. */
  ndcgAt10: number;
}

export const isRelevant = (grade: number | undefined): boolean => grade !== undefined && grade >= 2;

/**
 * Computes the quality of a search.
 * @param answers keys of the hits of each query, best first
 */
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

/** The baseline of a typical memory server: texts that contain the query as a substring, newest first. */
export function substringSearch(memories: readonly Memory[], { text, project }: Query): string[] {
  const wanted = text.toLowerCase();
  return collected(memories, project)
    .filter((memory) => memory.text.toLowerCase().includes(wanted))
    .map(({ key }) => key);
}

/** The same for each word by itself: texts that contain the most words first. */
export function wordSearch(memories: readonly Memory[], { text, project }: Query): string[] {
  const words = text.toLowerCase().split(/\s+/);
  return collected(memories, project)
    .map((memory) => ({
      key: memory.key,
      words: words.filter((word) => memory.text.toLowerCase().includes(word)).length,
    }))
    .filter((one) => one.words > 0)
    .toSorted((a, b) => b.words - a.words)
    .map(({ key }) => key);
}

const collected = (memories: readonly Memory[], project: string | null): Memory[] =>
  memories
    .filter(
      (memory) =>
        !memory.replacedBy && (project === null || memory.project === null || memory.project === project),
    )
    .toReversed();
