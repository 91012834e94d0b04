"""Interventions and their effects."""

from deciban.nets.causal.acted import Acted
from deciban.nets.causal.asking import effect, identify
from deciban.nets.causal.effects import Effect
from deciban.nets.causal.estimand import Estimand
from deciban.nets.causal.ida import PossibleEffects, ida
from deciban.nets.causal.identification import Identification

__all__ = ["Acted", "Effect", "Estimand", "Identification", "PossibleEffects", "effect", "ida", "identify"]
