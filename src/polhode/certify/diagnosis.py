"""What a pattern of failures points to: the usual mistakes, each by the trace it leaves."""


def diagnosis(found, notes):
    """Sentences that name the likely mistakes; `notes` says of each defect whether it scales with h or stays."""
    told = []
    verdict = {key: p.verdict for key, p in found.items()}
    order = {key: p.value for key, p in found.items() if key.startswith("order_")}
    loose = [k for k, note in notes.items() if note in ("stays", "stalls") and k != "on_group"]
    if verdict.get("on_group") == "no":
        told.append(
            "Q leaves the rotation group"
            + (
                " by an amount that falls with h: the map from rotation vectors to rotations is not one (a wrong "
                "factor in the Cayley map or a truncated exponential), or a quaternion is not normalised."
                if notes.get("on_group") == "scales"
                else ": a quaternion or a matrix is not normalised."
            )
        )
    if _low(order, "free") and not _low(order, "free", at_most=-0.5):
        told.append(
            "Even the free body converges with order "
            f"{min(order['order_free_Q'], order['order_free_Omega']):.1f}: the kinematics or Euler's equations are "
            "inconsistent (a wrong factor in the rotation map, a sign in J Omega x Omega), or half of a step is lost: "
            "the velocity of a half step is returned."
        )
    elif _low(order, "potential"):
        told.append(
            "The free body converges and the body under a torque does not: the torque is in the wrong frame, has the "
            "wrong sign, or half of it is lost (the velocity of a half step is returned)."
        )
    elif _behind(order, "forced", "potential"):
        told.append(
            "A torque in time lowers the order: it is evaluated at a wrong stage time (t for t + h, or for t + h/2)."
        )
    for case in ("free", "potential"):
        Q, Omega = order.get(f"order_{case}_Q"), order.get(f"order_{case}_Omega")
        if None not in (Q, Omega) and Omega < 1.5 <= Q - 0.5 and Q - Omega > 0.5:
            told.append(
                f"Omega is of order {Omega:.1f} where Q is of order {Q:.1f}: the velocity of a half step is returned."
            )
            break
    if loose and not any("frame" in sentence or "inconsistent" in sentence for sentence in told):
        told.append(
            f"A defect stays when h is halved ({', '.join(loose)}): an implicit equation is solved too loosely. "
            "Iterate to round-off, not to a tolerance."
        )
    if verdict.get("symmetric") == "no" and notes.get("symmetric") == "scales" and not told:
        told.append(
            "Not symmetric: the step is not its own adjoint. If it was meant to be, a term stands on one side only."
        )
    if verdict.get("symplectic_free") == "no" and verdict.get("symmetric") == "yes" and not told:
        told.append(
            "Symmetric, of the right order and on the group, but not symplectic: if it was meant to be variational, "
            "the map and its derivative do not belong together (exp with the correction term of cay, or the reverse)."
        )
    return tuple(told)


def _low(order, case, at_most=0.5):
    values = [order.get(f"order_{case}_{what}") for what in ("Q", "Omega")]
    return any(v is not None and v <= at_most for v in values)


def _behind(order, case, other):
    pairs = [(order.get(f"order_{case}_{w}"), order.get(f"order_{other}_{w}")) for w in ("Q", "Omega")]
    return any(None not in pair and pair[0] < pair[1] - 0.5 for pair in pairs)
