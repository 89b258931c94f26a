import { init, Z3_lbool } from 'z3-solver';

export type SolverAnswer = 'sat' | 'unsat' | 'unknown';

/** The resources that one question may take; Z3 counts them the same way everywhere. */
const RESOURCES_MAX = 300_000;

/** Z3 in WebAssembly. It is bounded by its own count of resources, not by time, so that it says the same on every machine. */
export class Solver {
  private constructor(private readonly api: Awaited<ReturnType<typeof init>>) {}

  static async start(): Promise<Solver> {
    return new Solver(await init());
  }

  /** Whether each of some formulas can be true after a prelude, both in SMT-LIB. */
  async satisfiable(prelude: string, formulas: readonly string[]): Promise<SolverAnswer[]> {
    const { Z3 } = this.api;
    const config = Z3.mk_config();
    Z3.set_param_value(config, 'rlimit', String(RESOURCES_MAX));
    const context = Z3.mk_context(config);
    Z3.del_config(config);
    try {
      const solver = Z3.mk_solver(context);
      Z3.solver_inc_ref(context, solver);
      const asked = formulas.map((formula, at) => `(declare-const ask-${at} Bool)\n(assert (=> ask-${at} ${formula}))`);
      // A text handed to a call that runs in another thread may be gone before it is read; this call is none.
      Z3.solver_from_string(context, solver, `${prelude}\n${asked.join('\n')}`);
      const answers: SolverAnswer[] = [];
      for (const at of formulas.keys()) {
        const ask = Z3.mk_const(context, Z3.mk_string_symbol(context, `ask-${at}`), Z3.mk_bool_sort(context));
        const answer = await Z3.solver_check_assumptions(context, solver, [ask]);
        answers.push(answer === Z3_lbool.Z3_L_TRUE ? 'sat' : answer === Z3_lbool.Z3_L_FALSE ? 'unsat' : 'unknown');
      }
      Z3.solver_dec_ref(context, solver);
      return answers;
    } finally {
      Z3.del_context(context);
    }
  }

  /** Ends its threads, which would keep the process alive. */
  stop(): void {
    this.api.em.PThread?.terminateAllThreads();
  }
}
