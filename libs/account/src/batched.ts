/**
 * Collects the questions of one turn of the event loop and answers them together.
 *
 * @param stamp what is to be known of the instant at which the first of them was asked
 * @param answerAll answers questions in their order; it is given the stamp
 * @param size how many are answered together at most
 */
export function batched<Question, Answer>(
  stamp: () => number,
  answerAll: AnswerAll<Question, Answer>,
  size: number,
): (question: Question) => Promise<Answer> {
  let waiting: Put<Question, Answer>[] = []
  let asked = 0

  function flush(): void {
    const batch = waiting
    waiting = []
    for (let from = 0; from < batch.length; from += size)
      void answerPart(answerAll, batch.slice(from, from + size), asked)
  }

  return (question) => {
    if (waiting.length === 0) {
      asked = stamp()
      setImmediate(flush)
    }
    const settle = Promise.withResolvers<Answer>()
    waiting.push({ question, settle })
    return settle.promise
  }
}

async function answerPart<Question, Answer>(
  answerAll: AnswerAll<Question, Answer>,
  part: readonly Put<Question, Answer>[],
  asked: number,
): Promise<void> {
  try {
    const answers = await answerAll(
      part.map(({ question }) => question),
      asked,
    )
    part.forEach(({ settle }, index) => {
      settle.resolve(answers[index] as Answer) // there is one answer per question
    })
  } catch (error) {
    for (const { settle } of part) settle.reject(error)
  }
}

type AnswerAll<Question, Answer> = (questions: readonly Question[], asked: number) => Promise<Answer[]>

type Put<Question, Answer> = {
  readonly question: Question
  readonly settle: PromiseWithResolvers<Answer>
}
