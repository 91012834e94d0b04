"""The classes that model files hold beside those of tallies and nets: forms, settings and calibrations."""

from __future__ import annotations

from deciban.decide import Reject
from deciban.decide.calibration import Isotonic, Temperature
from deciban.models.auto.form import AutoForm
from deciban.models.form import Form
from deciban.models.kdb.chains import ChainForm
from deciban.models.nets.net_form import Families, NetForm
from deciban.models.storage import checks
from deciban.models.tables.schema import ColumnPlan, Schema
from deciban.models.text.temperature import TextForm
from deciban.storable import storable

__all__: list[str] = []

storable(check=checks.check_form)(Form)
storable(check=checks.check_form)(NetForm)
storable(check=checks.check_form)(ChainForm)
storable(check=checks.check_form)(AutoForm)
storable(check=checks.check_text_form)(TextForm)
storable(check=checks.check_schema)(Schema)
storable(ColumnPlan)
storable(Families)
storable(Reject)
storable(check=checks.check_isotonic)(Isotonic)
storable(check=checks.check_temperature)(Temperature)
